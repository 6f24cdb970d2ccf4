CREATE TABLE shop.carts (
    id BIGINT PRIMARY KEY,
    owner TEXT NOT NULL,
    total NUMERIC(10, 2) DEFAULT 0
);

CREATE TABLE IF NOT EXISTS "Lines" (cart_id BIGINT REFERENCES shop.carts (id), price INT);

CREATE INDEX carts_by_owner ON shop.carts (owner);

CREATE VIEW open_carts AS SELECT id, owner FROM shop.carts WHERE total > 0;

CREATE MATERIALIZED VIEW totals AS SELECT sum(total) FROM shop.carts;

CREATE TYPE level AS ENUM ('low', 'high');

CREATE FUNCTION shop.rate(amount INT) RETURNS INT AS $$ SELECT amount * 2 $$ LANGUAGE sql;
