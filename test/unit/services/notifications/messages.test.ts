import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  type Message,
  createSealer,
  createWebhookSecret,
  webhookBody,
} from '../../../../services/admin/advice/webhooks/index.ts';
import { signatureHeaders } from '../../../../services/admin/advice/webhooks/messages/sign.ts';
import { slackBody } from '../../../../services/admin/advice/webhooks/messages/slack.ts';

const message = (data: object = {}): Message => ({
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  type: 'verdict.appeared',
  at: new Date('2026-11-21T10:15:00.000Z'),
  data: { sentence: 'Always on: new-basket.', page: 'features/new-basket', ...data },
});

describe('the body of a webhook', () => {
  it('has the type, the time and the data, with a link to the console', () => {
    expect(
      JSON.parse(webhookBody(message({ verdict: 'always_on' }), 'https://flags.example.org/')),
    ).to.deep.equal({
      type: 'verdict.appeared',
      timestamp: '2026-11-21T10:15:00.000Z',
      data: {
        sentence: 'Always on: new-basket.',
        verdict: 'always_on',
        link: 'https://flags.example.org/#/features/new-basket',
      },
    });
  });

  it('has no link if the address of the console is unknown', () => {
    expect(webhookBody(message(), undefined)).to.not.include('link');
  });

  it('is accepted by the library of Standard Webhooks, and not if one character differs', () => {
    const secret = createWebhookSecret();
    const body = webhookBody(message(), undefined);
    const headers = signatureHeaders({ id: 'an-id', sentAt: new Date(), body }, secret);
    expect(new Webhook(secret).verify(body, headers)).to.deep.equal(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).to.throw('No matching signature found');
    expect(() => new Webhook(createWebhookSecret()).verify(body, headers)).to.throw('No matching signature');
  });
});

describe('the body for Slack', () => {
  it('escapes names, so that a name mentions nobody and shows no link of its own', () => {
    const body = slackBody(message({ sentence: '<!channel> & <https://evil.example|Open>' }), undefined);
    expect(body).to.not.match(/<!|<https/);
    expect(JSON.parse(body)).to.have.nested.property(
      'blocks[0].text.text',
      '&lt;!channel&gt; &amp; &lt;https://evil.example|Open&gt;',
    );
  });

  it('shows a summary with the first sentences', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({ sentence: `Flag ${index}.`, page: 'events' }));
    const { blocks } = JSON.parse(slackBody(message({ items }), 'https://flags.example.org')) as {
      blocks: { text: { text: string } }[];
    };
    expect(blocks).to.have.length(22);
    expect(blocks[1]?.text.text).to.equal('• Flag 0. <https://flags.example.org/#/events|Open>');
    expect(blocks.at(-1)?.text.text).to.equal('and 30 more');
  });

  it('is short enough for Slack, whatever is told', () => {
    const items = Array.from({ length: 50 }, () => ({ sentence: '&'.repeat(5000), page: 'events' }));
    const { blocks } = JSON.parse(slackBody(message({ sentence: '<'.repeat(5000), items }), undefined)) as {
      blocks: { text: { text: string } }[];
    };
    for (const { text } of blocks) expect(text.text.length).to.be.at.most(3000);
  });
});

describe('encrypted secrets', () => {
  const [one, other] = [randomBytes(32), randomBytes(32)];

  it('can be read with the same key and context', () => {
    const sealer = createSealer([one]);
    expect(sealer.open(sealer.seal('https://hooks.example.org/s3cret', 'row 1'), 'row 1')).to.equal(
      'https://hooks.example.org/s3cret',
    );
  });

  it('cannot be read with another key, in another row or after a change', () => {
    const sealed = createSealer([one]).seal('secret', 'row 1');
    expect(createSealer([other]).open(sealed, 'row 1')).to.equal(undefined);
    expect(createSealer([one]).open(sealed, 'row 2')).to.equal(undefined);
    const changed = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`;
    expect(createSealer([one]).open(changed, 'row 1')).to.equal(undefined);
    expect(createSealer([one]).open('', 'row 1')).to.equal(undefined);
  });

  it('can still be read after a new key was put in front', () => {
    const sealed = createSealer([one]).seal('secret', 'row 1');
    expect(createSealer([other, one]).open(sealed, 'row 1')).to.equal('secret');
    expect(createSealer([other, one]).seal('secret', 'row 1')).to.satisfy(
      (text: string) => createSealer([one]).open(text, 'row 1') === undefined,
    );
  });
});
