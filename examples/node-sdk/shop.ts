/**
 * A service that asks for a feature and sends its counts to flagmeter. Flagmeter runs in front of an Unleash, which has the
 * feature `new-basket`.
 *
 *   npm install unleash-client tsx
 *   FLAGMETER_URL=http://127.0.0.1:4242 CLIENT_TOKEN='*:production.secret' npx tsx shop.ts
 */
import { startUnleash } from 'unleash-client';

const sdk = await startUnleash({
  url: `${process.env['FLAGMETER_URL'] ?? ''}/api/`,
  appName: 'shop',
  customHeaders: { Authorization: process.env['CLIENT_TOKEN'] ?? '' },
});

const users = Array.from({ length: 100 }, (_item, index) => `user-${index}`);
const withBasket = users.filter((userId) => sdk.isEnabled('new-basket', { userId }));
console.log(`${withBasket.length} of ${users.length} users get the new basket`);

// A service that keeps running sends its counts each minute. This one ends now.
await sdk.destroyWithFlush();
