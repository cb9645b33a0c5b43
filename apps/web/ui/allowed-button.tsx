import { useId, type ComponentProps } from 'react';

/** A button that explains why it is disabled, in its title and to screen readers. */
export function AllowedButton({ refusal, ...button }: ComponentProps<'button'> & { refusal: string | undefined }) {
  const id = useId();
  if (refusal === undefined) return <button type="button" {...button} />;
  return (
    <span className="actions">
      <button type="button" {...button} disabled title={refusal} aria-describedby={id} />
      <span id={id} className="muted small">
        {refusal}
      </span>
    </span>
  );
}
