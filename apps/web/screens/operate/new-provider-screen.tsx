export function NewProviderScreen() {
  return <h1>NewProviderScreen</h1>;
}
