type FieldProps = {
  readonly repositories: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
};

/** Which of a team's repositories is meant. */
export const RepositoryField = ({ repositories, value, onChange }: FieldProps) => (
  <label className="check">
    <span>Repository</span>
    <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
      {repositories.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  </label>
);
