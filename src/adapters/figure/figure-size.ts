/** Of an SVG as Vega writes it. */
export function sizeOf(svg: string): { readonly width: number; readonly height: number } {
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(`<svg[^>]*\\s${name}="([\\d.]+)"`).exec(svg)?.[1]),
  );
  if (!width || !height) throw new Error('the picture has no size');
  return { width, height };
}
