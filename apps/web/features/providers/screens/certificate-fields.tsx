import { useEffect, useRef, useState } from 'react';
import { certificateWarning } from '#lib/contracts/provider-words';
import type { ClientCertificate } from '#lib/contracts/provider';
import { Expandable } from '../../../ui/form/folded-fields';
import type { FormFault } from '../../../ui/form/form-request';
import { Faults, LabelledField, useForm } from '../../../ui/form/json-form';
import { Chip } from '../../../ui/chip';
import { UserText } from '../../../ui/user-text';
import type { CertificateFiles } from './access-value';
import type { AccessProps } from './key-fields';

/** The certificate that proves to an endpoint who is asking, for the few that demand one. */
export function CertificateFields(props: AccessProps) {
  const { errors } = useForm();
  const { stored, access } = props;
  const isNeeded =
    Boolean(stored?.client_certificate) ||
    access.certificate !== undefined ||
    errors.some(({ path }) => path.startsWith('/client_certificate'));
  return (
    <Expandable words="Add a client certificate" isNeeded={isNeeded}>
      <CertificateFieldset {...props} />
    </Expandable>
  );
}

function CertificateFieldset({ stored, access, changeAccess }: AccessProps) {
  const { errors, refusal } = useForm();
  const { client_certificate: certificate } = stored ?? {};
  const { certificate: given, ...others } = access;
  return (
    <fieldset>
      <legend>Client certificate</legend>
      {certificate ? (
        <CertificateText certificate={certificate} isRemoved={given === null} />
      ) : (
        <p className="muted small">For an endpoint that demands mutual TLS.</p>
      )}
      <Faults faults={errors.filter(({ path }) => path === '/client_certificate')} />
      <CertificateInputs
        given={given ?? undefined}
        change={(files) => changeAccess(files ? { ...others, certificate: files } : others)}
        isStored={Boolean(certificate)}
      />
      {certificate && (
        <label className="check">
          <input
            type="checkbox"
            disabled={refusal !== undefined}
            checked={given === null}
            onChange={({ target }) => changeAccess(target.checked ? { ...others, certificate: null } : others)}
          />
          Remove the certificate
        </label>
      )}
    </fieldset>
  );
}

interface InputsProps {
  given: CertificateFiles | undefined;
  change: (files: CertificateFiles | undefined) => void;
  isStored: boolean;
}

function CertificateInputs({ given, change, isStored }: InputsProps) {
  const { errors, refusal } = useForm();
  const set = (files: CertificateFiles): void => {
    const some = Object.entries({ ...given, ...files }).filter(([, text]) => text !== undefined && text !== '');
    change(some.length > 0 ? Object.fromEntries(some) : undefined);
  };
  const faultsOf = (field: keyof CertificateFiles) =>
    errors.filter(({ path }) => path === `/client_certificate/${field}`);
  return (
    <>
      <PemField
        label="Certificate"
        help={`PEM, with its chain if one is needed.${isStored ? ' Another one replaces what is stored.' : ''}`}
        text={given?.certificate}
        onText={(text) => set({ certificate: text })}
        faults={faultsOf('certificate')}
        isRequired={given !== undefined}
      />
      <PemField
        label="Private key"
        help="PEM. Stored encrypted, never shown again."
        text={given?.private_key}
        onText={(text) => set({ private_key: text })}
        faults={faultsOf('private_key')}
        isRequired={given !== undefined}
      />
      <LabelledField
        label="Passphrase"
        help="Of the private key, if it has one. Not stored."
        faults={faultsOf('passphrase')}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            autoComplete="off"
            maxLength={1000}
            readOnly={refusal !== undefined}
            value={given?.passphrase ?? ''}
            onChange={({ target }) => set({ passphrase: target.value })}
          />
        )}
      </LabelledField>
    </>
  );
}

/** Whom a certificate names, its authority and its end. */
export function CertificateText({ certificate, isRemoved }: { certificate: ClientCertificate; isRemoved?: boolean }) {
  const { subject, issuer, expires_at: end } = certificate;
  const warning = certificateWarning(certificate);
  return (
    <p>
      <UserText text={subject} max={300} />, issued by <UserText text={issuer} max={300} />, valid until{' '}
      <time dateTime={end} title={new Date(end).toLocaleString()}>
        {DATE.format(new Date(end))}
      </time>
      . {isRemoved ? 'Removed when you save.' : warning && <Chip kind="failed">It {warning}.</Chip>}
    </p>
  );
}
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

interface PemProps {
  label: string;
  help: string;
  /** What was read; undefined if nothing was chosen yet. */
  text: string | undefined;
  onText: (text: string | undefined) => void;
  faults: FormFault[];
  isRequired: boolean;
}
const MAX_BYTES = 65_536;
const TOO_LARGE: FormFault = { path: '', message: 'This file has more than 64 KiB: it is not a certificate or a key.' };
const UNREADABLE: FormFault = { path: '', message: 'The browser cannot read this file. Choose it again.' };

/** A PEM file, as text. */
function PemField({ label, help, text, onText, faults, isRequired }: PemProps) {
  const { refusal } = useForm();
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<FormFault>();
  useEffect(() => {
    // The browser keeps the name of a file that was sent or discarded.
    if (text === undefined && !fault && input.current) input.current.value = '';
  }, [text, fault]);
  const take = async (file: File | undefined): Promise<void> => {
    const isTooLarge = file !== undefined && file.size > MAX_BYTES;
    const read = isTooLarge ? undefined : await file?.text().catch(() => null);
    setFault(isTooLarge ? TOO_LARGE : read === null ? UNREADABLE : undefined);
    onText(read ?? undefined);
  };
  return (
    <LabelledField label={label} help={help} faults={fault ? [fault] : faults}>
      {(attributes) => (
        <input
          {...attributes}
          ref={input}
          type="file"
          accept=".pem,.crt,.cer,.key,.txt"
          required={isRequired}
          disabled={refusal !== undefined}
          title={refusal}
          onChange={({ target }) => void take(target.files?.[0])}
        />
      )}
    </LabelledField>
  );
}
