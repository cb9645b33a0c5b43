-- Another address, format or credential is another access: what was found out with the one before no longer holds.
-- Sealing the same secrets with another key changes nothing, and says so with `resealed_at`.
CREATE OR REPLACE FUNCTION raise_access_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.access_version := OLD.access_version + 1;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER raise_access_version BEFORE UPDATE ON provider
  FOR EACH ROW WHEN (
    OLD.resealed_at IS NOT DISTINCT FROM NEW.resealed_at AND
    (OLD.base_url, OLD.kind, OLD.sealed_key, OLD.api_key_ref, OLD.headers, OLD.sealed_headers, OLD.client_certificate,
      OLD.sealed_client_certificate)
    IS DISTINCT FROM
    (NEW.base_url, NEW.kind, NEW.sealed_key, NEW.api_key_ref, NEW.headers, NEW.sealed_headers, NEW.client_certificate,
      NEW.sealed_client_certificate)
  ) EXECUTE FUNCTION raise_access_version();
