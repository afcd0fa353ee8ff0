package synth

// A culture is a source of names: a culture with its language.
type culture struct {
	language, languageName string // BCP 47 code and name
	weight                 int
	families               []string
	women, men             []string
}

// cultures are common given names and family names, which are combined freely.
var cultures = [...]culture{
	{
		"en", "English", 30,
		[]string{"Smith", "Jones", "Walker", "Turner", "Baker", "Hughes", "Foster", "Carter", "Bennett", "Shaw", "O'Brien", "Murphy", "Campbell", "Reid", "Fletcher", "Marsh", "Dawson", "Whitfield"},
		[]string{"Alice", "Emma", "Grace", "Hannah", "Lucy", "Olivia", "Ruth", "Sarah", "Zoe", "Margaret", "Jane", "Eleanor"},
		[]string{"Adam", "Daniel", "George", "Henry", "Jack", "Oliver", "Peter", "Robert", "Thomas", "William", "Samuel", "Arthur"},
	},
	{
		"de", "German", 12,
		[]string{"Müller", "Schmidt", "Fischer", "Weber", "Wagner", "Becker", "Schäfer", "Koch", "Krüger", "Böhm", "Groß", "Jung", "Lang", "von Berg"},
		[]string{"Anna", "Clara", "Frieda", "Greta", "Heike", "Jutta", "Käthe", "Lena", "Monika", "Sophie"},
		[]string{"Anton", "Bernd", "Emil", "Felix", "Jörg", "Jürgen", "Karl", "Lukas", "Moritz", "Uwe"},
	},
	{
		"es", "Spanish", 13,
		[]string{"García López", "Fernández", "González", "Rodríguez", "Martínez", "Sánchez", "Pérez Ruiz", "Gómez", "Díaz", "Muñoz", "Álvarez", "Romero", "Núñez", "Castro"},
		[]string{"Ana", "Carmen", "Elena", "Inés", "Isabel", "Lucía", "María", "Pilar", "Rosa", "Sofía"},
		[]string{"Alejandro", "Andrés", "Carlos", "Diego", "Javier", "José", "Luis", "Manuel", "Miguel", "Pablo"},
	},
	{
		"fr", "French", 8,
		[]string{"Martin", "Bernard", "Dubois", "Laurent", "Lefèvre", "Moreau", "Girard", "Fournier", "Mercier", "Chevalier", "Benoît", "Gauthier"},
		[]string{"Amélie", "Camille", "Chloé", "Élodie", "Hélène", "Jeanne", "Juliette", "Manon", "Zoé"},
		[]string{"Antoine", "Étienne", "François", "Hugo", "Jean-Luc", "Louis", "Mathieu", "Noël", "Théo"},
	},
	{
		"pl", "Polish", 7,
		[]string{"Nowak", "Wójcik", "Mazur", "Kaczmarek", "Zając", "Król", "Wróbel", "Dudek", "Pawlak", "Sikora", "Bąk", "Duda"},
		[]string{"Agnieszka", "Ewa", "Joanna", "Katarzyna", "Małgorzata", "Maria", "Zofia", "Żaneta"},
		[]string{"Andrzej", "Jakub", "Jan", "Łukasz", "Paweł", "Piotr", "Stanisław", "Wojciech"},
	},
	{
		"tr", "Turkish", 6,
		[]string{"Yılmaz", "Kaya", "Demir", "Çelik", "Şahin", "Yıldız", "Öztürk", "Aydın", "Arslan", "Doğan"},
		[]string{"Ayşe", "Elif", "Emine", "Fatma", "Meryem", "Zeynep", "Gül", "Özlem"},
		[]string{"Ahmet", "Ali", "Çağlar", "Emre", "Hasan", "Mehmet", "Mustafa", "Ömer"},
	},
	{
		"ar", "Arabic", 6,
		[]string{"Al-Farsi", "Haddad", "Khalil", "Mansour", "Nasser", "Saleh", "Ibrahim", "Aziz", "Darwish", "Qasim"},
		[]string{"Aisha", "Amal", "Fatima", "Huda", "Layla", "Mariam", "Noor", "Salma"},
		[]string{"Ahmad", "Bilal", "Hamza", "Karim", "Mohammed", "Omar", "Tariq", "Yusuf"},
	},
	{
		"yo", "Yoruba", 5,
		[]string{"Adeyemi", "Afolabi", "Balogun", "Ogunleye", "Okonkwo", "Olawale", "Oyelaran", "Adebayo"},
		[]string{"Abeni", "Adunni", "Folake", "Ifeoma", "Ronke", "Yetunde", "Titilayo"},
		[]string{"Ade", "Babatunde", "Kunle", "Olumide", "Segun", "Tunde", "Femi"},
	},
	{
		"hi", "Hindi", 6,
		[]string{"Sharma", "Gupta", "Kumar", "Mehta", "Patel", "Rao", "Singh", "Verma", "Joshi", "Kapoor"},
		[]string{"Aditi", "Anjali", "Deepa", "Kavita", "Lakshmi", "Meera", "Priya", "Sunita"},
		[]string{"Amit", "Arjun", "Deepak", "Krishna", "Rahul", "Rajesh", "Sanjay", "Vikram"},
	},
	{
		"vi", "Vietnamese", 3,
		[]string{"Nguyễn", "Trần", "Lê", "Phạm", "Hoàng", "Đặng", "Võ", "Bùi"},
		[]string{"Hoa", "Hương", "Lan", "Mai", "Ngọc", "Thảo"},
		[]string{"Dũng", "Hùng", "Long", "Minh", "Nam", "Tuấn"},
	},
	{
		"zh", "Chinese", 4,
		[]string{"王", "李", "张", "刘", "陈", "杨", "黄", "赵"},
		[]string{"芳", "娜", "静", "丽", "秀英", "敏"},
		[]string{"伟", "强", "军", "杰", "国华", "志明"},
	},
}

// nameParts are the parts of a person's name.
type nameParts struct{ given, middle, family string }

// named draws a name from a culture. One in three has a second given name.
func (s *stream) named(p *culture, female bool) nameParts {
	given := p.men
	if female {
		given = p.women
	}
	n := nameParts{given: s.one(given), family: s.one(p.families)}
	if s.percent(33) {
		if n.middle = s.one(given); n.middle == n.given {
			n.middle = ""
		}
	}
	return n
}

// humanName writes a HumanName. prefix and use may be "".
func (w *writer) humanName(name, use, prefix string, n nameParts) {
	w.object(name)
	w.text("use", use)
	if prefix == "" {
		w.join("text", n.given, " ", n.family)
	} else {
		w.join("text", prefix, " ", n.given, " ", n.family)
	}
	w.text("family", n.family)
	w.texts("given", n.given, n.middle)
	if prefix != "" {
		w.texts("prefix", prefix)
	}
	w.end()
}

// language writes the language of a culture as a CodeableConcept.
func (w *writer) language(name string, p *culture) {
	w.concept(name, Coding{"urn:ietf:bcp:47", p.language, p.languageName})
}
