/** A PDF of one page with these lines, the first in larger letters. The lines are ASCII. */
export function pdfOf(lines: readonly string[]): string {
  const text = lines.map((line, at) => {
    const shown = line.replace(/[\\()]/g, (character) => `\\${character}`)
    return `/F1 ${at === 0 ? 18 : 12} Tf (${shown}) Tj 0 -28 Td`
  })
  const page = `BT 72 740 Td ${text.join('\n')} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = pdf.length
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  return `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`
}
