/**
 * Names that people read must differ in what people see. Postgres has the same functions, `clean_text`, `clean_tag` and `user_name_key`,
 * for what does not come through the API.
 */

/** Characters that nobody sees: controls, directions of writing, joiners, fillers, and selectors of variants. */
const INVISIBLE = new RegExp(
  String.raw`[\0-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]`,
  'gu',
);
const SPACES = /[\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]+/g;

/** Without what nobody sees, with single spaces, and none around it. */
export function cleanText(text: string): string {
  return text.replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ').replaceAll(/^ | $/g, '');
}

/** A tag of the form type:value, also without spaces around the first colon. */
export function cleanTag(tag: string): string {
  return cleanText(tag).replace(/^([^:]*[^: ])? ?: ?/, '$1:');
}

/** Letters that Unicode does not take apart into a basic letter and its marks, and what they resemble. */
const RESEMBLING = { from: 'ĐđÐðĦħıŁłØøŦŧßẞÆæŒœÞþ', to: 'ddddhhilloottssaaoopp' };

/** What names have in common that look alike: it ignores case, accents, and the width of letters. */
export function keyOfUserName(name: string): string {
  const plain = cleanText(name)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '');
  const basic = Array.from(plain, (letter) => RESEMBLING.to[RESEMBLING.from.indexOf(letter)] ?? letter);
  return basic.join('').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Latin letters, digits and signs. `@` is only in addresses, so no user name looks like one. */
export function isUserName(name: string): boolean {
  return isOldLatin(name) && /^[!-?A-~]+( [!-?A-~]+)*$/.test(keyOfUserName(name));
}

export function isAddress(email: string): boolean {
  return isOldLatin(email) && /^[!-?A-~]{1,100}@[!-?A-~]{1,150}$/.test(keyOfUserName(email));
}

/** Letters that Postgres and Node.js take apart alike, whichever Unicode they know. */
function isOldLatin(text: string): boolean {
  return /^(?:[ -~\u00C0-\u024F\u1E00-\u1EFF\uFF01-\uFF5E]|[\u0300-\u036F])*$/.test(cleanText(text));
}
