/** A placeholder of the same height for content whose loading takes longer than 300 ms. */
export function Skeleton({ rows = 3, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-busy="true">
      <div className="skeleton" style={{ height: rows * 32 }} />
      <span className="unseen">{label}</span>
    </div>
  );
}
