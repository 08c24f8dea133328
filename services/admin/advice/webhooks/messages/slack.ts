import { contain } from '#base/words';
import { type Message, type MessageItem, pageUrl } from './message.ts';

/** Slack refuses texts of more than 3,000 characters, and messages of more than 50 blocks. */
const MAX_SENTENCE = 400;
const MAX_LINK = 900;
const MAX_ITEMS = 20;

/** The body for an incoming webhook of Slack: the sentence with a link; of a summary also what it sums up. */
export function slackBody({ data }: Message, consoleUrl: string | undefined): string {
  const { sentence, page, items = [] } = data;
  const shown = items.slice(0, MAX_ITEMS);
  const more = items.length - shown.length;
  return JSON.stringify({
    text: textOf(sentence),
    blocks: [
      sectionOf(lineOf({ sentence, page }, consoleUrl)),
      ...shown.map((item) => sectionOf(`• ${lineOf(item, consoleUrl)}`)),
      ...(more > 0 ? [sectionOf(`and ${more} more`)] : []),
    ],
  });
}

function lineOf({ sentence, page }: MessageItem, consoleUrl: string | undefined): string {
  const text = textOf(sentence);
  const link = consoleUrl === undefined ? '' : ` <${pageUrl(page, consoleUrl)}|Open>`;
  return link.length > MAX_LINK ? text : `${text}${link}`;
}

function sectionOf(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

/** Names come from strangers: unescaped, one could mention a whole channel or show a link of its own. */
function textOf(sentence: string): string {
  const short = sentence.length <= MAX_SENTENCE ? sentence : `${sentence.slice(0, MAX_SENTENCE)}…`;
  // A cut may have left an isolate open, and the link follows.
  return contain(short).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
