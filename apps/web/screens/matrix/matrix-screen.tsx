export function MatrixScreen() {
  return <h1>MatrixScreen</h1>;
}
