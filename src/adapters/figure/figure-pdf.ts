import { readAsset } from './figure-assets.js';
import { sizeOf } from './figure-size.js';

/** An SVG as PDF, with its letters inside. The one door to pdfkit: no clock, no compression that another version would do otherwise. */
export async function svgToPdf(svg: string): Promise<Uint8Array> {
  const [{ default: PdfDocument }, { default: draw }] = await Promise.all([import('pdfkit'), import('svg-to-pdfkit')]);
  const { width, height } = sizeOf(svg);
  const [widthPt, heightPt] = [width * ptPerPx, height * ptPerPx];
  const document = new PdfDocument({
    size: [widthPt, heightPt],
    margin: 0,
    compress: false,
    // None of those that every reader is supposed to have: journals want fonts inside.
    font: null as unknown as string,
    info: { CreationDate: new Date(0), Producer: 'autoresearch', Creator: 'autoresearch' },
  });
  const parts: Buffer[] = [];
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (part: Buffer) => parts.push(part));
    document.on('end', () => resolve(Buffer.concat(parts)));
    document.on('error', reject);
  });
  document.registerFont('plain', readAsset('DejaVuSans.ttf'));
  document.registerFont('bold', readAsset('DejaVuSans-Bold.ttf'));
  const warnings: string[] = [];
  draw(document, svg, 0, 0, {
    width: widthPt,
    height: heightPt,
    fontCallback: (_family: string, isBold: boolean) => (isBold ? 'bold' : 'plain'),
    warningCallback: (text: string) => warnings.push(text),
  });
  document.end();
  const bytes = await whole;
  if (warnings.length > 0) throw new Error(`the PDF would not be like the SVG: ${warnings.join('; ')}`);
  return bytes;
}

/** 96 to the inch in SVG, 72 in PDF. */
const ptPerPx = 0.75;
