/** What is going on. */
export function HomeScreen() {
  return <h1>Toolmark</h1>;
}
