import { type Path, pathTo } from '../../state/paths/path.ts';
import type { Answer, Api } from './client.ts';

type Page<Member extends string> = { readonly nextCursor: string | null } & Readonly<
  Record<Member, readonly unknown[]>
>;

type Reading<Member extends string, Body> = {
  readonly path: Path;
  /** What the list is in the answer. */
  readonly member: Member;
  readonly query?: Readonly<Record<string, string>>;
  /** The most items that the server puts into a page, after the first one, which fills the screen early. */
  readonly perPage?: number;
  /** All, by default. */
  readonly most?: number;
  readonly signal: AbortSignal;
  readonly show: (part: Body) => void;
};

const FIRST_PAGE = 100;

/** Reads the pages of a list one after the other into one, and shows what there is after each. */
export async function readPages<Member extends string, Body extends Page<Member>>(
  api: Api,
  { path, member, query = {}, perPage = FIRST_PAGE, most = Infinity, signal, show }: Reading<Member, Body>,
): Promise<Answer<Body>> {
  const items: unknown[] = [];
  for (let cursor: string | null = ''; ;) {
    const limit: string = String(Math.min(most - items.length, cursor === '' ? FIRST_PAGE : perPage));
    const ofPage: URLSearchParams = new URLSearchParams({
      ...query,
      limit,
      ...(cursor === '' ? {} : { cursor }),
    });
    const answer: Answer<Body> = await api.get<Body>(pathTo`${path}?${ofPage}`, signal);
    if (answer.problem !== undefined) return answer;
    items.push(...answer.body[member]);
    const whole = { ...answer.body, [member]: [...items] };
    cursor = answer.body.nextCursor;
    if (cursor === null || items.length >= most) return { body: whole };
    show(whole);
  }
}
