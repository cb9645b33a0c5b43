import { useNavigate } from '@tanstack/react-router';
import type { JudgeReport } from '#lib/judge/contract';
import { useAction } from '../../api/action';
import { deleteReport } from '../../api/judge';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { DeleteDialog } from '../../parts/dialog';
import { Given } from '../../parts/given';
import { count } from '../../parts/score';

export function DeleteReport({ report, close }: { report: JudgeReport; close: () => void }) {
  const navigate = useNavigate();
  const { isPending, error, mutate } = useAction(deleteReport, async () => {
    close();
    void navigate({ to: '/judge' });
    queryClient.removeQueries({ queryKey: keys.report(report.id) });
    await queryClient.invalidateQueries({ queryKey: keys.judge });
  });
  return (
    <DeleteDialog
      title="Delete this report?"
      action="Delete the report"
      act={() => mutate(report.id)}
      {...{ isPending, error, close }}
    >
      <p>
        <Given text={report.judge} max={200} />, version {report.version}
      </p>
      <p>
        This also deletes its {count(report.items)} judgements and the requests to the judge with their replies. Labels
        by people and results stay. This cannot be undone.
      </p>
    </DeleteDialog>
  );
}
