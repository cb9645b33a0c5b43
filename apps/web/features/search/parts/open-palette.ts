type Listener = (text: string) => void;
let listener: Listener = () => {};

/** @param then is called with the first text when something asks for the palette */
export function whenPaletteIsAsked(then: Listener): () => void {
  listener = then;
  return () => {
    listener = () => {};
  };
}

/** Opens the palette from any screen. */
export const openPalette = (text = ''): void => listener(text);
