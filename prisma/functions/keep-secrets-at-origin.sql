-- An API of the release before knows nothing of headers and client certificates, and would let them move to another
-- address with a provider. It cannot change the address of one that has them.
CREATE OR REPLACE FUNCTION keep_secrets_at_origin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF level_of_session() < 8 THEN
    RAISE EXCEPTION 'The address of a provider with headers or a client certificate is changed by a later release';
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER keep_secrets_at_origin BEFORE UPDATE OF base_url ON provider
  FOR EACH ROW WHEN (
    OLD.base_url <> NEW.base_url AND (OLD.headers <> '[]' OR OLD.client_certificate IS NOT NULL)
  ) EXECUTE FUNCTION keep_secrets_at_origin();
