export function FailuresScreen() {
  return <h1>FailuresScreen</h1>;
}
