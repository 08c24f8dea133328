/** A process of a hub, which does with its bus what forked-bus.ts asks for, and reports what it hears. */
import { type Channel, openChannelBus } from '#base/auth';
import { inBackground } from '#base/runtime';
import { type Call, LOST_EXIT_CODE, type Report } from './forked-bus.ts';

const channel: Channel = process;
const bus = openChannelBus(channel);

process.on('message', (message: { call?: Call }) => {
  const { call } = message;
  if (call !== undefined) inBackground(perform(call));
});
report({ isOpen: true });

async function perform(call: Call): Promise<void> {
  try {
    if ('subscriber' in call) subscribe(call.subscriber);
    else if ('announce' in call) report({ id: call.id, result: await bus.announce(call.announce) });
    else {
      const rates = await bus.addUp(new Map(call.requests), call.windowMs);
      report({ id: call.id, result: [...rates] });
    }
  } catch (error) {
    if ('id' in call) report({ id: call.id, error: String(error) });
  }
}

function subscribe(subscriber: number): void {
  bus.subscribe({
    onRevoked(tokenId) {
      report({ subscriber, revoked: tokenId });
    },
    onLost() {
      process.exit(LOST_EXIT_CODE); // nobody is left to report to
    },
    onGap() {
      report({ subscriber, isGap: true });
    },
  });
}

function report(content: Report): void {
  process.send?.({ report: content });
}
