/** Filters a list; the key `/` moves the focus here. */
export function TextFilter({ label, text, change }: { label: string; text: string; change: (text: string) => void }) {
  return (
    <label className="field filter">
      <span className="label">{label}</span>
      <input data-filter type="search" maxLength={200} value={text} onChange={({ target }) => change(target.value)} />
    </label>
  );
}
