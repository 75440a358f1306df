type FieldProps = {
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
  /** How all of them together are called, where that may be chosen. */
  readonly all?: string;
};

/** Which of a team's repositories is meant. */
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
