import { expect } from 'chai';
import { problemOfTarget } from '../../../../services/admin/advice/webhooks/index.ts';

const RULES = { mayLoopBack: false };

/** Addresses inside of the operator's network, in every notation that browsers and curl know. */
const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0x7f.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '167772161',
  '012.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '0300.0250.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '168.63.129.16',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '240.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[fec0::1]',
  '[2001:db8::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  '①②⑦.⓪.⓪.①',
];

describe('the address of a receiver', () => {
  for (const host of PRIVATE)
    it(`is refused for ${host}`, () => {
      expect(problemOfTarget(`https://${host}/hook`, RULES)).to.equal('It leads into a private network.');
    });

  for (const url of [
    'https://hooks.example.org/a?b=c',
    'https://8.8.8.8:8443/',
    'https://[2606:4700::1111]/',
  ])
    it(`is allowed for ${url}`, () => {
      expect(problemOfTarget(url, RULES)).to.equal(undefined);
    });

  it('needs TLS', () => {
    for (const url of ['http://hooks.example.org/', 'ftp://hooks.example.org/', 'file:///etc/passwd'])
      expect(problemOfTarget(url, RULES), url).to.not.equal(undefined);
  });

  it('holds no user and no password', () => {
    expect(problemOfTarget('https://ana:secret@hooks.example.org/', RULES)).to.match(/user name/);
  });

  it('is a URL of bounded length', () => {
    expect(problemOfTarget('hooks.example.org', RULES)).to.match(/no valid URL/);
    expect(problemOfTarget(`https://hooks.example.org/${'a'.repeat(2000)}`, RULES)).to.match(/no valid URL/);
  });

  describe('where this machine is allowed', () => {
    const rules = { mayLoopBack: true };

    it('may be this machine, also without TLS', () => {
      for (const url of ['http://localhost:8080/', 'http://127.0.0.1/', 'https://[::1]/'])
        expect(problemOfTarget(url, rules), url).to.equal(undefined);
    });

    it('may still be no other private address', () => {
      for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '0.0.0.0'])
        expect(problemOfTarget(`https://${host}/`, rules), host).to.equal('It leads into a private network.');
    });

    it('needs TLS elsewhere', () => {
      expect(problemOfTarget('http://8.8.8.8/', rules)).to.equal('It must begin with https://.');
    });
  });
});
