// Prints the tables of R5's terminology types from the annotations of HL7's Java model, in the form
// that definitions.Read describes. With the libraries of HL7's runner (docs/conformance.md):
//
//   java -cp "$ROGET_OFFICIAL/jars/*" Tables.java > r5.tsv
//
// r5.tsv.lzma is its output as packed by codesystem/packed/pack.Text.

import ca.uhn.fhir.model.api.annotation.Binding;
import ca.uhn.fhir.model.api.annotation.Child;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.*;
import org.hl7.fhir.r5.model.*;
import org.hl7.fhir.r5.model.Enumeration;

public class Tables {
  static final String PACKAGE = "org.hl7.fhir.r5.model.";
  static final String LISTS = "http://hl7.org/fhir/ValueSet/";

  static final String[] RESOURCES = {
    "Bundle", "CapabilityStatement", "CodeSystem", "ConceptMap", "NamingSystem", "OperationDefinition",
    "OperationOutcome", "Parameters", "TerminologyCapabilities", "ValueSet"
  };

  // The types that the others inherit from, and the primitives: the annotations do not have them.
  static final String BASES = """
      Tc	Element
      id	string	?
      extension	Extension	*
      Tc	BackboneElement	Element
      modifierExtension	Extension	*sm
      Tr	Resource
      id	id	?s
      meta	Meta	?s
      implicitRules	uri	?sm
      language	code	?
      Tr	DomainResource	Resource
      text	Narrative	?
      contained	Resource	*
      extension	Extension	*
      modifierExtension	Extension	*sm
      """;
  static final String PRIMITIVES = "base64Binary boolean canonical:uri code:string date dateTime decimal id:string instant integer "
      + "integer64 markdown:string oid:uri positiveInt:integer string time unsignedInt:integer uri url:uri uuid:uri xhtml";

  static final Map<String, Map<String, List<String>>> lists = new TreeMap<>(); // codes by system
  static final Map<String, String> types = new TreeMap<>();
  static final Map<Class<?>, String> backbones = new HashMap<>(); // the type that defines a nested class
  static final Deque<Class<?>> todo = new ArrayDeque<>();

  record Backbone(Class<?> of, String name, String base) {}

  public static void main(String[] args) throws Exception {
    for (String name : RESOURCES) {
      Class<?> c = Class.forName(PACKAGE + name);
      type(c, name, c.getSuperclass() == Resource.class ? "Resource" : "DomainResource", 'R');
    }
    todo.add(Narrative.class);
    todo.add(Meta.class);
    todo.add(Extension.class);
    while (!todo.isEmpty()) {
      Class<?> c = todo.pop();
      if (c == Element.class || c == DataType.class) {
        continue;
      }
      String base = switch (c.getSuperclass().getSimpleName()) {
        case "BackboneType" -> "BackboneElement";
        case "Quantity" -> "Quantity";
        default -> "Element";
      };
      if (base.equals("Quantity")) {
        todo.add(Quantity.class);
      }
      type(c, c.getSimpleName(), base, 'C');
    }
    print();
  }

  static void print() {
    System.out.print(BASES);
    for (String primitive : PRIMITIVES.split(" ")) {
      String[] pair = primitive.split(":");
      System.out.println("TP\t" + pair[0] + "\t" + (pair.length > 1 ? pair[1] : "Element"));
    }
    System.out.println("extension\tExtension\t0"); // of xhtml
    types.values().forEach(System.out::print);
    lists.forEach((name, systems) -> {
      System.out.println("L\t" + LISTS + name);
      systems.forEach((system, codes) -> System.out.println(system + "\t" + String.join("\t", codes)));
    });
  }

  /** Adds a type and the types of its nested elements. */
  static void type(Class<?> c, String name, String base, char kind) throws Exception {
    if (types.containsKey(name)) {
      return;
    }
    types.put(name, ""); // it may contain itself
    StringBuilder lines = new StringBuilder("T" + kind + "\t" + name + "\t" + base + "\n");
    List<Backbone> nested = new ArrayList<>();
    for (Field f : c.getDeclaredFields()) {
      Child child = f.getAnnotation(Child.class);
      if (child != null) {
        lines.append(element(f, child, name, nested)).append('\n');
      }
    }
    types.put(name, lines.toString());
    for (Backbone b : nested) {
      type(b.of, b.name, b.base, 'B');
    }
  }

  /** Returns the line of an element. */
  static String element(Field f, Child child, String owner, List<Backbone> nested) throws Exception {
    boolean many = List.class.isAssignableFrom(f.getType());
    Type generic = many ? ((ParameterizedType) f.getGenericType()).getActualTypeArguments()[0] : f.getGenericType();
    Class<?> c = generic instanceof ParameterizedType p ? (Class<?>) p.getRawType() : (Class<?>) generic;
    String name = child.name().replace("[x]", "");
    String list = "";
    String type;
    if (c == DataType.class) {
      name += "[x]";
      type = choice(child);
    } else if (Resource.class.isAssignableFrom(c)) {
      type = "Resource";
    } else if (c == Reference.class) {
      todo.add(c);
      type = reference(targets(child));
    } else if (PrimitiveType.class.isAssignableFrom(c)) {
      type = primitive(c);
      if (c == Enumeration.class) {
        list = list(f, (Class<?>) ((ParameterizedType) generic).getActualTypeArguments()[0]);
      }
    } else if (backbones.containsKey(c)) {
      type = "#" + backbones.get(c);
    } else if (c.isMemberClass()) {
      String base = BackboneElement.class.isAssignableFrom(c) ? "BackboneElement" : "Element";
      backbones.put(c, owner + "." + name);
      nested.add(new Backbone(c, owner + "." + name, base));
      type = "@" + base;
    } else if (c.getSimpleName().equals("XhtmlNode")) {
      type = "xhtml";
    } else {
      todo.add(c);
      type = c.getSimpleName();
    }
    String flags = child.max() == 0 ? "0" : many ? (child.min() > 0 ? "+" : "*") : (child.min() > 0 ? "1" : "?");
    flags += (child.summary() ? "s" : "") + (child.modifier() ? "m" : "");
    return name + "\t" + type + "\t" + flags + (list.isEmpty() ? "" : "\t" + LISTS + list);
  }

  static String choice(Child child) {
    List<String> names = new ArrayList<>();
    List<String> targets = targets(child);
    for (Class<?> c : child.type()) {
      if (Resource.class.isAssignableFrom(c)) {
        if (!names.contains(reference(targets))) {
          names.add(reference(targets));
        }
      } else if (PrimitiveType.class.isAssignableFrom(c)) {
        names.add(primitive(c));
      } else {
        todo.add(c);
        names.add(c.getSimpleName());
      }
    }
    return names.isEmpty() ? "*" : String.join(",", names);
  }

  static List<String> targets(Child child) {
    return Arrays.stream(child.type()).filter(c -> Resource.class.isAssignableFrom(c) && c != Resource.class).map(c -> c.getSimpleName()).toList();
  }

  static String reference(List<String> targets) {
    return targets.isEmpty() ? "Reference" : "Reference(" + String.join("|", targets) + ")";
  }

  static String primitive(Class<?> c) {
    if (c == Enumeration.class) {
      return "code";
    }
    String name = c.getSimpleName().replaceFirst("Type$", "");
    return Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }

  /** Adds the codes of an enumeration and returns the name of its value set; "" if it is not closed. */
  static String list(Field f, Class<?> codes) throws Exception {
    String name = codes.getSimpleName().replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-").toLowerCase();
    Binding binding = f.getAnnotation(Binding.class);
    if (binding != null && binding.valueSet().contains("ValueSet/")) {
      name = binding.valueSet().replaceAll(".*ValueSet/", "").replaceAll("\\|.*", "");
    }
    if (name.equals("languages")) {
      return "";
    }
    if (!lists.containsKey(name)) {
      Map<String, List<String>> systems = new TreeMap<>();
      for (Object code : codes.getEnumConstants()) {
        if (!code.toString().equals("NULL")) {
          String system = Objects.toString(codes.getMethod("getSystem").invoke(code), "");
          systems.computeIfAbsent(system, s -> new ArrayList<>()).add((String) codes.getMethod("toCode").invoke(code));
        }
      }
      lists.put(name, systems);
    }
    return name;
  }
}
