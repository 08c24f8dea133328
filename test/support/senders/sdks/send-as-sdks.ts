import { expect } from 'chai';
import { startFrontendSdk } from './frontend-sdk.ts';
import { startNodeSdk } from './node-sdk.ts';

/** What a server and a browser send with the real SDKs: evaluations of two features and an unknown one, and impact metrics. */
export async function sendAsSdks(
  url: string,
  secrets: { readonly production: string; readonly frontend: string },
): Promise<void> {
  const node = await startNodeSdk({ url, secret: secrets.production, instanceId: 'node-1' });
  const { impact } = node;
  impact.defineCounter('purchases', 'Completed purchases');
  impact.defineGauge('carts', 'Open carts');
  impact.defineHistogram('response_seconds', 'Response times', [0.1, 0.5, 1]);
  for (let index = 0; index < 20; index += 1) {
    const flags = { flagNames: ['checkout'], context: { userId: `user-${index}` } };
    node.isEnabled('checkout', `user-${index}`);
    // oxlint-disable-next-line typescript/no-deprecated -- applications of today call it with the flags
    impact.incrementCounter('purchases', 1.5, flags);
    // oxlint-disable-next-line typescript/no-deprecated -- the same
    impact.observeHistogram('response_seconds', index / 10, flags);
    impact.updateGauge('carts', index);
    if (index % 7 === 6) await node.flush();
  }
  node.isEnabled('not-a-feature');
  await node.flush();
  const browser = await startFrontendSdk(url, secrets.frontend);
  for (let index = 0; index < 5; index += 1) browser.isEnabled('search');
  browser.impact.defineCounter('clicks', 'Clicks');
  browser.impact.incrementCounter('clicks', 3);
  await browser.flush();
  await Promise.all([node.dispose(), browser.dispose()]);
  expect([...node.warnings, ...browser.errors]).to.deep.equal([]);
}
