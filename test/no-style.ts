// A style sheet that a part imports: tests draw without styles.
export {};
