declare module 'svg-to-pdfkit' {
  /** The package has no types of its own. */
  export default function draw(document: unknown, svg: string, x: number, y: number, options: object): void;
}
