import { expect } from 'chai';
import fc from 'fast-check';
import { type TokenType, createSecret, hashSecret, mayIngest, parseSecret, secretOf } from '#base/tokens';

const SECRETS: readonly (readonly [secret: string, project: string, environment: string])[] = [
  ['*:production.0123456789abcdef', '*', 'production'],
  ['*:*.0123456789abcdef', '*', '*'],
  ['[]:development.964a287e1b728cb5', '[]', 'development'],
  ['default:production.abc', 'default', 'production'],
  ['my-project_1~x.y:eu-west.abc', 'my-project_1~x.y', 'eu-west'],
  ['default:production.abc.def:ghi', 'default', 'production'],
];

const NO_SECRETS = [
  '',
  'secret',
  'default:production',
  'default:production.',
  'default:.abc',
  ':production.abc',
  'default.abc',
  'two words:production.abc',
  'default:two words.abc',
  'default:production.two words',
  'default:production.abc\n',
  'default:production.ä',
  `default:production.${'x'.repeat(201)}`,
  `${'x'.repeat(101)}:production.abc`,
  `default:${'x'.repeat(101)}.abc`,
];

const TYPES: readonly (readonly [TokenType, boolean])[] = [
  ['admin', true],
  ['client', true],
  ['frontend', false],
  ['scan', false],
];

describe('parseSecret', () => {
  for (const [secret, project, environment] of SECRETS) {
    it(`finds project ${project} and environment ${environment} in ${secret}`, () => {
      expect(parseSecret(secret)).to.deep.equal({ project, environment });
    });
  }

  for (const secret of NO_SECRETS) {
    it(`finds no secret in ${JSON.stringify(secret).slice(0, 40)}`, () => {
      expect(parseSecret(secret)).to.equal(undefined);
    });
  }

  it('parses any text quickly', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100_000 }), (text) => {
        parseSecret(text);
      }),
      { plugins: [fc.interruptAfterTimeLimit(2000, { failOnInterrupt: true })] },
    );
  });
});

describe('createSecret', () => {
  const projects: readonly (readonly [names: readonly string[], project: string])[] = [
    [[], '*'],
    [['default'], 'default'],
    [['default', 'payments'], '[]'],
  ];
  for (const [names, project] of projects) {
    it(`writes ${project} for ${names.length} projects`, () => {
      expect(parseSecret(createSecret(names, 'production'))).to.deep.equal({
        project,
        environment: 'production',
      });
    });
  }

  it('never creates the same secret twice', () => {
    expect(createSecret([], '*')).not.to.equal(createSecret([], '*'));
  });
});

describe('secretOf', () => {
  for (const authorization of [
    '*:*.abc',
    'Bearer *:*.abc',
    'bearer *:*.abc',
    'BEARER   *:*.abc',
    ' *:*.abc ',
  ]) {
    it(`finds the secret in ${JSON.stringify(authorization)}`, () => {
      expect(secretOf(authorization)).to.equal('*:*.abc');
    });
  }

  for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic abc']) {
    it(`finds no valid secret in ${JSON.stringify(authorization)}`, () => {
      expect(parseSecret(secretOf(authorization))).to.equal(undefined);
    });
  }
});

describe('hashSecret', () => {
  it('is the SHA-256 in hexadecimal', () => {
    expect(hashSecret('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('mayIngest', () => {
  for (const [type, may] of TYPES) {
    it(`returns ${may} for a token of type ${type}`, () => {
      const token = { id: '1', name: 'n', type, environment: '*', projects: [], expiresAt: undefined };
      expect(mayIngest(token)).to.equal(may);
    });
  }
});
