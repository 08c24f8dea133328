import type { Actor, Schedule, Scheduled } from '../time/schedule.ts';
import type { Reply } from '../network.ts';
import { ProtocolError } from './errors.ts';

export type Committed = { readonly offset: string; readonly metadata: string };
export type Joined = {
  readonly memberId: string;
  readonly generation: number;
  readonly partitions: readonly number[];
};
export type Membership = { readonly memberId: string; readonly generation: number };
/** A commit that was accepted: in which step of the world, and from which process. */
export type Acceptance = {
  readonly at: number;
  readonly partition: number;
  readonly generation: number;
  readonly caller: Actor;
  readonly metadata: string;
};

type Member = {
  readonly id: string;
  /** Set while the member waits for the others. */
  join: Reply<Joined> | undefined;
  expiry: Scheduled;
};

/** What a group needs of the brokers that keep it. */
type Keepers = {
  readonly isUp: boolean;
  /** Owns the timers of groups, which every broker may continue. */
  readonly nature: Actor;
  partitionCount(topic: string): number;
};

const SESSION_MS = 8000;
const REBALANCE_MS = 15_000;

/** A group of consumers of one topic, as the brokers keep it. Its members and offsets survive a restart of the brokers. */
export class Coordinator {
  readonly #brokers: Keepers;
  readonly #schedule: Schedule;
  readonly topic: string;
  readonly #members = new Map<string, Member>();
  readonly committed = new Map<number, Committed>();
  readonly accepted: Acceptance[] = [];
  #generation = 0;
  #created = 0;
  /** The deadline of a rebalance; undefined while the group is stable. */
  #rebalance: Scheduled | undefined;

  constructor(brokers: Keepers, schedule: Schedule, topic: string) {
    this.#brokers = brokers;
    this.#schedule = schedule;
    this.topic = topic;
  }

  /** How often the partitions were divided. */
  get generation(): number {
    return this.#generation;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  join(memberId: string | undefined, reply: Reply<Joined>): void {
    const known = memberId === undefined ? undefined : this.#members.get(memberId);
    if (memberId !== undefined && known === undefined) {
      reply.reject(new ProtocolError('UNKNOWN_MEMBER_ID'));
      return;
    }
    const member = known ?? this.#create();
    member.join = reply;
    this.#prolong(member, REBALANCE_MS + SESSION_MS);
    this.#beginRebalance();
    this.#endIfComplete();
  }

  leave(memberId: string): void {
    const member = this.#members.get(memberId);
    if (member !== undefined) this.#remove(member);
  }

  heartbeat(membership: Membership): void {
    const member = this.#check(membership);
    this.#prolong(member, SESSION_MS);
    if (this.#rebalance !== undefined) throw new ProtocolError('REBALANCE_IN_PROGRESS');
  }

  /** While members join, commits of the last generation are still accepted. */
  commit(membership: Membership & { readonly caller: Actor }, partition: number, committed: Committed): void {
    const member = this.#check(membership);
    this.#prolong(member, SESSION_MS);
    this.committed.set(partition, committed);
    const { generation, caller } = membership;
    const { metadata } = committed;
    this.accepted.push({ at: this.#schedule.steps, partition, generation, caller, metadata });
  }

  #check({ memberId, generation }: Membership): Member {
    const member = this.#members.get(memberId);
    if (member === undefined) throw new ProtocolError('UNKNOWN_MEMBER_ID');
    if (generation !== this.#generation) throw new ProtocolError('ILLEGAL_GENERATION');
    return member;
  }

  #create(): Member {
    this.#created += 1;
    const id = `member-${this.#created}`;
    const member: Member = { id, join: undefined, expiry: this.#expire(id, SESSION_MS) };
    this.#members.set(id, member);
    return member;
  }

  #prolong(member: Member, ms: number): void {
    member.expiry.isCancelled = true;
    member.expiry = this.#expire(member.id, ms);
  }

  /** Time does not pass for members while the brokers are down: a new coordinator gives each a new session. */
  #expire(id: string, ms: number): Scheduled {
    return this.#schedule.after(this.#brokers.nature, ms, {
      label: 'session ends',
      action: () => {
        const member = this.#members.get(id);
        if (member === undefined) return;
        if (!this.#brokers.isUp) this.#prolong(member, SESSION_MS);
        else this.#remove(member);
      },
    });
  }

  #remove(member: Member): void {
    member.expiry.isCancelled = true;
    this.#members.delete(member.id);
    this.#beginRebalance();
    this.#endIfComplete();
  }

  #beginRebalance(): void {
    this.#rebalance ??= this.#schedule.after(this.#brokers.nature, REBALANCE_MS, {
      label: 'rebalance ends',
      action: () => {
        for (const member of [...this.#members.values()])
          if (member.join === undefined) {
            member.expiry.isCancelled = true;
            this.#members.delete(member.id);
          }
        this.#endRebalance();
      },
    });
  }

  #endIfComplete(): void {
    if ([...this.#members.values()].every(({ join }) => join !== undefined)) this.#endRebalance();
  }

  /** Every member that waits gets its part of the partitions. */
  #endRebalance(): void {
    if (this.#rebalance !== undefined) this.#rebalance.isCancelled = true;
    this.#rebalance = undefined;
    this.#generation += 1;
    const members = [...this.#members.values()];
    const partitions = Array.from({ length: this.#brokers.partitionCount(this.topic) }, (_, index) => index);
    for (const [index, member] of members.entries()) {
      const own = partitions.filter((partition) => partition % members.length === index);
      member.join?.resolve({ memberId: member.id, generation: this.#generation, partitions: own });
      member.join = undefined;
      this.#prolong(member, SESSION_MS);
    }
  }
}
