export type Bar = {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  /** Maximum, drawn as a thin line. */
  readonly most?: number;
  readonly note?: string;
};

type BarsProps = {
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
  /** Value of a full bar. Default: the largest value. */
  readonly whole?: number;
};

/** Displays values as bars, each with its name and its number as text. */
export function Bars({ bars, format, whole }: BarsProps) {
  if (bars.length === 0) return <p className="subtle">Nothing is known yet.</p>;
  const full = whole ?? Math.max(...bars.map(({ value, most = 0 }) => Math.max(value, most)), Number.MIN_VALUE);
  return (
    <ul className="bars">
      {bars.map(({ key, name, value, most, note }) => (
        <li key={key} className="bar">
          <span className="bar-name" title={name}>
            {name}
          </span>
          <span className="bar-track" aria-hidden="true">
            {most === undefined ? null : <span className="bar-most" style={{ width: `${(most / full) * 100}%` }} />}
            <span className="bar-value" style={{ width: `${(value / full) * 100}%` }} />
          </span>
          <span className="bar-number">{note ?? format(value)}</span>
        </li>
      ))}
    </ul>
  );
}
