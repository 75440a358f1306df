type FieldProps = {
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
  /** Label for all repositories, if the user may select them together. */
  readonly all?: string;
};

export const RepositoryField = ({ names, value, onChange, all }: FieldProps) => (
  <label className="check">
    <span>Repository</span>
    <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
      {all === undefined ? null : <option value="">{all}</option>}
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  </label>
);
