type SearchProps = { readonly what: string; readonly value: string; readonly onChange: (text: string) => void };

export const SearchField = ({ what, value, onChange }: SearchProps) => (
  <input
    data-search
    type="search"
    className="field search"
    placeholder={`Search ${what}`}
    aria-label={`Search ${what}`}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
);
