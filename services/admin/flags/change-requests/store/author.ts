/** SQL for whether the author of a request is a user or token that no longer exists. */
export const IS_AUTHOR_GONE = `exists (
    select
    from users as author
    left join api_tokens as token on token.id = r.created_by_token
    where author.id = r.created_by
      and (author.deleted_at is not null or token.revoked_at is not null or token.expires_at <= now())
  )`;

/** SQL for whether a caller sees a request. Only its author sees a draft, and everybody if the author is gone. */
export function isSeenBy({ userId, tokenId }: { readonly userId: string; readonly tokenId: string }): string {
  return `(
    r.state <> 'Draft'
    or (r.created_by = ${userId} and r.created_by_token is not distinct from ${tokenId}::uuid)
    or ${IS_AUTHOR_GONE}
  )`;
}
