export function EmbeddingScreen() {
  return <h1>EmbeddingScreen</h1>;
}
