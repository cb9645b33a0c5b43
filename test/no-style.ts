// A style sheet that a component imports: tests render without styles, and a class of a CSS module has its own name.
export default new Proxy({}, { get: (_styles, name) => name });
