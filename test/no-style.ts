// A style sheet that a component imports: tests render without styles.
export {};
