export function ExperimentScreen() {
  return <h1>ExperimentScreen</h1>;
}
