import { expect } from 'chai';
import { configSchema, describeSettings } from '#base/runtime';

const names = Object.keys(configSchema.properties);
const texts = Object.entries(configSchema.properties)
  .filter(([, { type }]) => type === 'string')
  .map(([name]) => name);
const CANARY = 'a-canary-that-nobody-may-see';

describe('the described settings', () => {
  it('are all settings, with default and source', () => {
    const settings = describeSettings({});
    expect(settings.map(({ name }) => name)).to.deep.equal(names);
    expect(settings).to.deep.include({ name: 'PORT', value: '4242', source: 'default' });
    expect(settings).to.deep.include({ name: 'KAFKA_BROKERS', value: '', source: 'not set' });
  });

  it('say where a value comes from', () => {
    const settings = describeSettings({ PORT: '5242', DATABASE_URL_FILE: '/run/secrets/url', LOG_LEVEL: '' });
    expect(settings).to.deep.include({ name: 'PORT', value: '5242', source: 'environment' });
    expect(settings).to.deep.include({
      name: 'DATABASE_URL',
      value: '(hidden)',
      source: 'file /run/secrets/url',
    });
    expect(settings).to.deep.include({ name: 'LOG_LEVEL', value: 'info', source: 'default' });
  });

  for (const name of texts.filter((one) => /SECRET|PASSWORD|TOKENS?$|_KEY$|HEADERS/.test(one)))
    it(`hide the value of ${name}`, () => {
      expect(valueOf(name, CANARY)).to.equal('(hidden)');
    });

  for (const name of names)
    it(`hide the credentials of an address in ${name}`, () => {
      for (const password of [CANARY, `a@${CANARY}`, `a/${CANARY}`, `a,${CANARY}`, `a:${CANARY}?b`]) {
        const address = `postgres://user:${password}@host/db?password=${CANARY}`;
        expect(valueOf(name, `${address},${address};${address}`), password).not.to.include(CANARY);
      }
    });

  it('show the rest of an address', () => {
    expect(valueOf('DATABASE_URL', 'postgres://user:secret@host/db')).to.equal('postgres://***@host/db');
    expect(valueOf('CLICKHOUSE_URL', 'http://a:8123,http://b:8123')).to.equal('http://a:8123,http://b:8123');
  });
});

function valueOf(name: string, value: string): string | undefined {
  return describeSettings({ [name]: value }).find((setting) => setting.name === name)?.value;
}
