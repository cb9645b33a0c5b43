-- An API of the release before knows nothing of headers, client certificates and keys by reference, and would let them
-- move to another address with a provider. It cannot change the address of one that has them. The key that it gives to
-- a provider takes the place of a reference.
CREATE OR REPLACE FUNCTION keep_secrets_at_origin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF level_of_session() >= 8 THEN
    RETURN NEW;
  END IF;
  IF OLD.base_url <> NEW.base_url THEN
    RAISE EXCEPTION 'The address of a provider with headers, a client certificate or a reference is changed by a later release';
  END IF;
  IF OLD.sealed_key IS DISTINCT FROM NEW.sealed_key THEN
    NEW.api_key_ref := NULL;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER keep_secrets_at_origin BEFORE UPDATE OF base_url, sealed_key ON provider
  FOR EACH ROW WHEN (
    OLD.headers <> '[]' OR OLD.client_certificate IS NOT NULL OR OLD.api_key_ref IS NOT NULL
  ) EXECUTE FUNCTION keep_secrets_at_origin();
