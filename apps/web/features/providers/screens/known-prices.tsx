import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { pricesAt, describePrices, type FindPrices } from '#lib/contracts/find-prices';
import { toText, type JsonObject } from '#lib/contracts/json/json';
import type { KnownPrices } from '#lib/contracts/known-prices';
import { pricesQuery } from '../api';
import { UserText } from '../../../ui/user-text';
import { hasPricesOf } from './provider-value';

const NONE: FindPrices = () => undefined;

/** The known prices at a provider's address; empty until loaded. */
export function useKnownPrices({ base_url: url }: JsonObject): { table: KnownPrices | undefined; find: FindPrices } {
  const { data: table } = useQuery(pricesQuery);
  const address = toText(url);
  const find = useMemo(() => (table ? pricesAt(table, address) : NONE), [table, address]);
  return { table, find };
}

interface Props {
  model: JsonObject;
  provider: JsonObject;
  refusal: string | undefined;
  take: () => void;
}

/** Where the prices of a model come from, if they are known. */
export function PriceSource({ model, provider, refusal, take }: Props) {
  const { table, find } = useKnownPrices(provider);
  const known = find(toText(model.id));
  if (!table || !known) return null;
  const has = hasPricesOf(model, known);
  const name = table.source === 'file' ? "your server's price table" : 'the table of known prices';
  return (
    <div className="small muted" role="status">
      {has ? `These prices are from ${name} of ${table.as_of}.` : `In ${name} of ${table.as_of}: `}
      {!has && `${describePrices(known)}.`} {known.note && <UserText text={known.note} />}{' '}
      {!has && (
        <button type="button" className="dense" disabled={refusal !== undefined} title={refusal} onClick={take}>
          Use these prices
        </button>
      )}
    </div>
  );
}
