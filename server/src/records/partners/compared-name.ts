/** Letters and signs of other scripts that look like these, in capital or small form. */
const LOOK_ALIKES: Record<string, string> = {
  a: 'АаΑαᎪꓮⲀⲁɑᴀ',
  b: 'ВΒᏴꓐⲂʙЬь',
  c: 'СсᏟꓚⲤⲥϹϲᴄ',
  d: 'ᎠꓓԀԁᗪᴅ',
  e: 'ЕеΕᎬꓰ℮ᴇ',
  f: 'ꓝϜꜰ',
  g: 'ᏀꓖԌցɡɢ',
  h: 'НΗᎻꓧⲎҺһհʜ',
  i: 'ІіΙιꓲⲒⲓıɩɪӀ',
  j: 'ЈјᎫꓙϳյᴊ',
  k: 'КкΚκᏦꓗⲔⲕᴋ',
  l: 'ӏᏞꓡʟ',
  m: 'МмΜᎷꓟⲘϺᴍ',
  n: 'ΝꓠⲚոɴ',
  o: 'ОоΟοꓳⲞⲟՕօᴏσ',
  p: 'РрΡρᏢꓑⲢⲣᴘ',
  q: 'Ԛԛզ',
  r: 'ᎡᏒꓣʀ',
  s: 'ЅѕՏᏕᏚꓢꜱ',
  t: 'ТтΤτᎢꓔⲦⲧᴛ',
  u: 'υՍսꓴᴜ',
  v: 'νѴѵᏙꓦᴠ',
  w: 'ԜԝωᎳᏔꓪᴡ',
  x: 'ХхΧχꓫⲬⲭ',
  y: 'УуΥγҮүꓬⲨʏ',
  z: 'ΖᏃꓜⲌᴢ',
  '-': '\u2043\u2212',
  "'": '\u2018\u2019\u201b\u2032\u02b9\u02bb\u02bc`\u00b4',
  '"': '\u201c\u201d\u201f\u2033',
}

const PLAIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([plain, signs]) => Array.from(signs, (sign) => [sign, plain])),
)

/**
 * A business name as people see it, for comparing (D132): in NFKC and lower case, with one blank for several, without
 * invisible signs, and with letters of other scripts as the Latin letters that they look like.
 */
export function comparedName(name: string): string {
  const plain = Array.from(name.normalize('NFKC'), (sign) => PLAIN.get(sign) ?? sign).join('')
  const compared = plain
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]|(?<=i)\u0307/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[\s\u2800]+/g, ' ')
    .trim()
  return compared || name
}
