import { expect } from 'chai';
import { overrideSettings, readConfig } from '#base/runtime';
import { ENGINE_ADDRESSES } from '../../../../support/builders/engine-addresses.ts';

describe('overrideSettings', () => {
  it('replaces a setting, whether the environment has its value or its file', () => {
    for (const own of [{ PORT: '4242' }, { PORT_FILE: '/nowhere' }])
      expect(readConfig(overrideSettings({ ...ENGINE_ADDRESSES, ...own }, { PORT: '0' })).http.port).to.equal(
        0,
      );
  });

  it('removes a setting, whether the environment has its value or its file', () => {
    for (const own of [{ OPS_PORT: '9000' }, { OPS_PORT_FILE: '/nowhere' }])
      expect(
        readConfig(overrideSettings({ ...ENGINE_ADDRESSES, ...own }, { OPS_PORT: '' })).http.ops,
      ).to.equal(undefined);
  });
});
