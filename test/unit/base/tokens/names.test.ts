import { expect } from 'chai';
import { cleanTag, cleanText, isAddress, isUserName, keyOfUserName } from '#base/tokens';

describe('names of users', () => {
  for (const [what, name] of [
    ['case', 'ANA'],
    ['spaces around it', ' ana\t'],
    ['a space that does not break', '\u00A0ana'],
    ['an accent', 'aná'],
    ['an accent of its own', 'ana\u0301'],
    ['wide letters', 'ａｎａ'],
    ['a joiner of no width', 'a\u200Dna'],
    ['another direction', '\u202Eana\u202C'],
    ['a byte order mark', '\uFEFFana'],
    ['a letter of tags', 'ana\u{E0061}'],
    ['a variant', 'ana\uFE0F'],
  ] as const)
    it(`have one key if they differ in ${what} only`, () => {
      expect(keyOfUserName(name)).to.equal('ana');
      expect(isUserName(name)).to.equal(true);
    });

  for (const [one, other] of [
    ['Bjørn', 'bjorn'],
    ['ŁUKASZ', 'łukasz'],
    ['ışık', 'isik'],
    ['Straße', 'strase'],
  ] as const)
    it(`have one key if they are ${one} and ${other}`, () => {
      expect(keyOfUserName(one)).to.equal(keyOfUserName(other));
    });

  for (const [what, name] of [
    ['a Cyrillic letter', 'аna'],
    ['only Cyrillic letters that look Latin', 'асе'],
    ['a Greek letter', 'ανa'],
    ['a letter of phonetics', 'ɑna'],
    ['letters of mathematics', '𝐚𝐧𝐚'],
    ['an @', 'ana@example.org'],
    ['a wide @', 'ana＠example.org'],
    ['nothing that anybody sees', '\u200B\u3164'],
  ] as const)
    it(`have no ${what}`, () => {
      expect(isUserName(name)).to.equal(false);
    });

  it('are addresses with one @', () => {
    expect(isAddress('Ana.Müller@example.org')).to.equal(true);
    for (const email of ['ana', 'a@b@c', 'аna@example.org', 'a na@example.org', '@example.org'])
      expect(isAddress(email), email).to.equal(false);
  });
});

describe('a text that people filter by', () => {
  it('has no spaces around it, and nothing that nobody sees', () => {
    expect(cleanText('  Checkout\u200B \n team\u00A0')).to.equal('Checkout team');
    expect(cleanText('花子 🎉')).to.equal('花子 🎉');
  });

  it('is a tag of two parts', () => {
    expect(cleanTag(' team : checkout : a ')).to.equal('team:checkout : a');
  });
});
