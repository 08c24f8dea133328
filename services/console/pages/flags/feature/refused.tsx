import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type NewRequest, openRequest } from '../../../api/advice/clean-up.ts';
import type { Problem } from '../../../api/requests/problem.ts';
import { useConsole } from '../../../console.ts';
import { Trouble } from '../../../ui/loaded.tsx';

/** Where approvals are required, one click asks for the refused change. Undefined for other problems, which a request cannot solve. */
export function offerRequest(problem: Problem, request: NewRequest): ComponentChildren {
  return problem.name === 'ApprovalRequired' ? <Offer problem={problem} request={request} /> : undefined;
}

type Props = { readonly problem: Problem; readonly request: NewRequest };

function Offer({ problem, request }: Props) {
  const { api, forms, notice, router } = useConsole();
  const [second, setSecond] = useState<Problem>();
  const open = async (): Promise<void> => {
    const answer = await openRequest(api, request);
    setSecond(answer.problem);
    if (answer.problem !== undefined) return;
    forms.settle();
    notice.value = { tone: 'done', text: 'The change request is in review.' };
    router.go('change-requests', request.project, String(answer.body.id));
  };
  return (
    <>
      <Trouble problem={second ?? problem} />
      <button type="button" class="primary" onClick={open}>
        Open a change request
      </button>
    </>
  );
}
