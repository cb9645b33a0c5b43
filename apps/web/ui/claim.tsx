import { Note } from './hint';
import { UserText } from './user-text';

/** Where a sentence of a comparison goes on with what the data could have shown. */
const POWER = / (?=(?:With [\d,]+ (?:case|group)s?,|That interval alone|About [\d,]+ (?:case|group)))/;

/** What is claimed, and what the data could have shown at all. */
export function claimOf(text: string): { claim: string; power: string } {
  const at = POWER.exec(text)?.index ?? text.length;
  return { claim: text.slice(0, at), power: text.slice(at + 1) };
}

/** What may be claimed, in the server's words; how small a difference could have been seen, when asked. */
export function Claim({ text }: { text: string }) {
  const { claim, power } = claimOf(text);
  return (
    <>
      <UserText text={claim} />
      {power !== '' && (
        <>
          {' '}
          <span className="small">
            <Note of="What could be seen">
              <UserText text={power} />
            </Note>
          </span>
        </>
      )}
    </>
  );
}
