import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../../api/session';
import { useKnown, type Option } from '../../../ui/combobox';
import { PickFilter } from '../../../ui/filters';
import { allTeamsQuery } from '../operator';

interface Props {
  team: string | undefined;
  choose: (team: string | undefined) => void;
  /** What can be chosen besides teams. */
  others?: readonly Option[];
}

/** Whose settings an operator sees: those of their own team by default. */
export function TeamChoice({ team, choose, others = [] }: Props) {
  const { data: me } = useQuery(meQuery);
  const { data: teams = [] } = useQuery(allTeamsQuery);
  const options = [
    ...others,
    ...teams.filter(({ id }) => id !== me?.team.id).map(({ id, name }) => ({ value: id, name })),
  ];
  const chosen = team && (options.find(({ value }) => value === team)?.name ?? 'unknown team');
  return (
    <PickFilter
      label="Team"
      value={team}
      chosen={chosen ?? ''}
      none={me?.team.name}
      lookup={useKnown(options)}
      choose={choose}
    />
  );
}
