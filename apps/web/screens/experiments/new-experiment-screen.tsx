export function NewExperimentScreen() {
  return <h1>NewExperimentScreen</h1>;
}
