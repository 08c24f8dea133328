import { expect } from 'chai';
import { registrationOf } from '#core/counting';
import { applicationPostsOf } from '../../../../services/unleash-bridge/mirror/posts/application-posts.ts';
import { RECEIVED_AT, anApplication } from '../../../support/builders/builders.ts';

describe('the interval of an application for Unleash', () => {
  for (const [sdkVersion, interval, sent] of [
    ['unleash-client-python:6.8.0', 300, 300],
    ['unleash-node-sdk:6.12.1', 2000, 2000],
    ['unleash-edge:20.1.0', 15, 15],
    [null, 15_000, 15_000],
    [null, null, 0],
  ] as const)
    it(`is ${sent} if the SDK ${sdkVersion} said ${interval}`, () => {
      const registration = registrationOf(anApplication({ sdkVersion, interval }), RECEIVED_AT);
      const intervals = applicationPostsOf([registration]).flatMap(({ items }) =>
        items.map((item) => item.interval),
      );
      expect(intervals).to.deep.equal([sent]);
    });
});
