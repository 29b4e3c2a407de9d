-- What a job is made of, as its method counts it: [{"name", "label", "value"}, ...], in place of a number of bonds.
ALTER TABLE job ADD COLUMN counts TEXT NOT NULL DEFAULT '[]';
UPDATE job SET counts = iif(bond_count > 0,
  json_array(json_object('name', 'nodes', 'label', 'Nodes', 'value', node_count), json_object('name', 'bonds', 'label', 'Bonds', 'value', bond_count)),
  json_array(json_object('name', 'nodes', 'label', 'Nodes', 'value', node_count)));
ALTER TABLE job DROP COLUMN bond_count;
